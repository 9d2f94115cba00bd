"""docs/tuning_log.md: the table of what each experiment brings, from plots/data/experiments.csv.

Without measurements the page stays as it is. Needs no matplotlib.
"""

from repository import DATA, gpus_of, read_csv, write_between

COLUMNS = ("experiment", "config", "cycles", "tensor_active_percent", "tflops", "wrong_launches")


def table(rows):
    """For each config a table with a row per experiment: cycles against the kernel as it is, and
    speed against mma.sync on registers alone, with which it took turns."""
    lines = []
    for config in dict.fromkeys(row["config"] for row in rows):
        lines += [f"`{config}`", "",
                  "| experiment | cycles | | tensor pipe active | of mma.sync alone | SM clock "
                  "| wrong |",
                  "|---|---:|---:|---:|---:|---:|---:|"]
        base = None
        for row in rows:
            if row["config"] != config:
                continue
            cycles = int(row["cycles"])
            base = base or cycles  # as_it_is comes first
            change = f"{100 * (cycles / base - 1):+.1f} %" if cycles != base else ""
            line = f"| `{row['experiment']}` | {cycles:,} | {change} |"
            line += f" {float(row['tensor_active_percent']):.1f} % |"
            if row["tflops"]:
                share = float(row["tflops"]) / float(row["mma_peak_tflops"])
                line += f" {100 * share:.1f} % | {float(row['clock_mhz']):.0f} MHz |"
            else:  # a wrong result is not timed
                line += " | |"
            lines.append(line + f" {row['wrong_launches']} of {row['launches']} |")
        lines.append("")
    lines.append(f"Measured on an {' and an '.join(gpus_of(rows))} by `make experiments`.")
    return "\n".join(lines)


def main():
    rows = read_csv(DATA / "experiments.csv", COLUMNS)
    if rows:
        write_between("docs/tuning_log.md", "experiments", table(rows))
    else:
        print("plots/data/experiments.csv has no rows: docs/tuning_log.md stays as it is")


main()

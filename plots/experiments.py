"""docs/tuning_log.md: the table of what each experiment brings, from plots/data/experiments.csv.

Writes what stands between the two marks. Without measurements the page stays as it is. Needs no
matplotlib.
"""

import csv
import pathlib

PLOTS = pathlib.Path(__file__).resolve().parent
DATA = PLOTS / "data" / "experiments.csv"
PAGE = PLOTS.parent / "docs" / "tuning_log.md"
BEGIN, END = "<!-- experiments:begin -->", "<!-- experiments:end -->"


def table(rows):
    """A row per experiment, columns per config: cycles against the kernel as it is, and speed against
    mma.sync on registers alone, with which it took turns."""
    configs = list(dict.fromkeys(row["config"] for row in rows))
    names = list(dict.fromkeys(row["experiment"] for row in rows))
    of = {(row["experiment"], row["config"]): row for row in rows}
    head = "| experiment |"
    for config in configs:
        head += f" `{config}`: cycles | tensor pipe active | of mma.sync alone | SM clock | wrong |"
    lines = [head, "|---|" + "---:|---:|---:|---:|---:|" * len(configs)]
    for name in names:
        line = f"| `{name}` |"
        for config in configs:
            row = of[name, config]
            cycles, base = int(row["cycles"]), int(of["as_it_is", config]["cycles"])
            change = "" if name == "as_it_is" else f" ({100 * (cycles / base - 1):+.1f} %)"
            line += f" {cycles:,}{change} | {float(row['tensor_active_percent']):.1f} % |"
            share = float(row["tflops"]) / float(row["mma_peak_tflops"])
            line += f" {100 * share:.1f} % | {float(row['clock_mhz']):.0f} MHz |"
            line += f" {row['wrong_launches']} of {row['launches']} |"
        lines.append(line)
    gpus = sorted({", driver ".join(row["gpu"].rsplit(" ", 1)) for row in rows})
    lines += ["", f"Measured on an {' and an '.join(gpus)} by `make experiments`."]
    return "\n".join(lines)


def main():
    if not DATA.exists():
        print(f"plots/data/{DATA.name} is not there: the table of docs/tuning_log.md stays as it is")
        return
    with open(DATA, newline="") as file:
        rows = list(csv.DictReader(file))
    page = PAGE.read_text()
    before, after = page.index(BEGIN) + len(BEGIN), page.index(END)
    updated = page[:before] + "\n\n" + table(rows) + "\n\n" + page[after:]
    if updated != page:
        PAGE.write_text(updated)
        print("wrote the table of docs/tuning_log.md")


main()

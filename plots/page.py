"""How a script writes its part of a page: what stands between two marks."""


def write_between(page, name, text, what):
    """Puts `text` between <!-- name:begin --> and <!-- name:end --> of `page`, and says "wrote `what`"
    where that changes it."""
    old = page.read_text()
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, after = old.index(begin) + len(begin), old.index(end)
    new = old[:before] + "\n\n" + text + "\n\n" + old[after:]
    if new != old:
        page.write_text(new)
        print(f"wrote {what}")

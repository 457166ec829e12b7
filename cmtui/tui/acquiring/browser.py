"""Opening an address in the system's browser. Only web addresses: what a provider names is not trusted."""

from __future__ import annotations

from urllib.parse import urlsplit


def open_address(url: str) -> tuple[str, str]:
    """Open ``url``; what to say about it, and its look."""
    import webbrowser

    try:
        web = urlsplit(url).scheme.lower() in ("http", "https")
    except ValueError:
        web = False
    if not web:
        return "This is no web address, so it is not opened.", "bad"
    if webbrowser.open(url):
        return "opened in the browser", "note"
    return f"No browser answers here; the address is {url}", "bad"

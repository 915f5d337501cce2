"""Whether a change was asked for by a page of ours, in the browser of whoever is signed in."""

from urllib.parse import urlsplit

from starlette.requests import Request


def is_from_our_pages(request: Request, *, platform_url: str) -> bool:
    """Whether an unsafe request comes from our own pages.

    Browsers say where a request comes from in `Sec-Fetch-Site`, over https and on this machine. Elsewhere
    they say it in `Origin`, which is compared with the platform's own address and never with `Host`.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = request.headers.get("origin")
    return origin is not None and origin == origin_of(platform_url)


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()

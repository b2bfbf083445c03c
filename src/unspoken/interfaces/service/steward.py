"""Pages and forms of the dashboard over HTTP, for a steward who has signed in."""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qs

from unspoken.core.errors import InputError, LimitExceeded, UnspokenError
from unspoken.interfaces.dashboard.pages import POLICY, Pages, enter
from unspoken.workflows.serve import Curator
from unspoken.workflows.serve.overview import approve, overview, what_if
from unspoken.workflows.serve.sessions import COOKIE, Session, Sessions

__all__ = ["Response", "Steward"]

AGAIN = "this page was open for too long, or is not of this session; look at it again"
KEPT = "Path=/dashboard; HttpOnly; SameSite=Strict"
OURS = ("same-origin", "none")  # what a browser says of a request that no other site has made


@dataclass(frozen=True)
class Response:
    """What is sent back."""

    text: str
    status: int
    headers: Mapping[str, str]


@dataclass
class Steward:
    """``working``: does what takes long in a thread of its own."""

    curator: Curator
    sessions: Sessions
    working: Callable[[Callable[[], Any]], Awaitable[Any]]

    async def overview(self, request: Any) -> Response:
        return await self._shown(request, lambda pages: pages.overview(overview(self.curator)))

    async def history(self, request: Any) -> Response:
        return await self._shown(request, lambda pages: pages.history(overview(self.curator)))

    async def plan(self, request: Any) -> Response:
        return await self._shown(
            request, lambda pages: self._planned(pages, request.query_params.get("cap", ""))
        )

    async def enter(self, request: Any) -> Response:
        sent = await _sent(request)
        word = self.sessions.begin(sent.get("token", "")) if _ours(request) else None
        if word is None:
            return _page(enter("this is no token of a steward, or does not hold any more"), 401)
        secure = request.headers.get("x-forwarded-proto", "") == "https"
        return _to("/dashboard", f"{COOKIE}={word}; {KEPT}{'; Secure' if secure else ''}")

    async def leave(self, request: Any) -> Response:
        session, sent = self._session(request), await _sent(request)
        if session is not None and session.sent(sent.get("form", "")) and _ours(request):
            self.sessions.end(request.cookies[COOKIE])
        return _to("/dashboard", f"{COOKIE}=; Max-Age=0; {KEPT}")

    async def approve(self, request: Any) -> Response:
        session, sent = self._session(request), await _sent(request)
        if session is None:
            return _page(enter(), 401)
        pages = Pages(session.name, session.form)
        if not session.sent(sent.get("form", "")) or not _ours(request):
            return _page(await self.working(partial(self._planned, pages, "", AGAIN)), 403)
        work = partial(
            approve, self.curator, sent.get("digest", ""), session.name, sent.get("why", "")
        )
        try:
            await self.working(work)
        except (InputError, LimitExceeded) as error:
            wrong = partial(self._planned, pages, "", str(error))
            return _page(await self.working(wrong), 409)
        return _to("/dashboard/plan")

    # ------------------------------------------------------------ steps

    def _planned(self, pages: Pages, asked: str, wrong: str = "") -> str:
        cap: float | None = None
        try:
            cap = float(asked) if asked else None
            found = what_if(self.curator, cap)
        except ValueError as error:  # InputError is one
            wrong = str(error) if isinstance(error, UnspokenError) else "cap: is no number"
            cap, found = None, what_if(self.curator)
        return pages.plan(found, self.curator.project.source.name, cap, wrong)

    async def _shown(self, request: Any, page: Callable[[Pages], str]) -> Response:
        """The page, for who has signed in; the way to do that for everybody else."""
        session = self._session(request)
        if session is None:
            return _page(enter())
        try:
            return _page(await self.working(partial(page, Pages(session.name, session.form))))
        except UnspokenError as error:  # a steward is told the whole of it
            return _page(f"<!doctype html><title>unspoken</title><p>{html.escape(str(error))}", 409)

    def _session(self, request: Any) -> Session | None:
        session = self.sessions.of(request.cookies.get(COOKIE, ""))
        request.state.admitted = session is not None
        return session


async def _sent(request: Any) -> dict[str, str]:
    """The fields of a form, each once."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        fields = parse_qs(body, max_num_fields=10, keep_blank_values=True)
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items() if len(values) == 1}


def _ours(request: Any) -> bool:
    """Whether a page of ours has sent this, as far as the browser says."""
    return request.headers.get("sec-fetch-site", OURS[0]) in OURS


def _page(text: str, status: int = 200) -> Response:
    headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": POLICY}
    return Response(text, status, headers)


def _to(path: str, cookie: str = "") -> Response:
    return Response("", 303, {"location": path, **({"set-cookie": cookie} if cookie else {})})

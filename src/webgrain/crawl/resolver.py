"""Names of hosts become addresses here, and those of private networks go no further.

Every connection passes through, whether the host was named by the user, by a link or by a redirect, and the
address that was looked at is the one that is connected to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.resolver import CachingHostnameResolver
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from webgrain.io.hosts import is_public

if TYPE_CHECKING:
    from twisted.internet.interfaces import IAddress, IHostResolution


@implementer(IHostnameResolver)
class PublicResolver(CachingHostnameResolver):
    """Resolver that answers with public addresses only."""

    def resolveHostName(self, resolutionReceiver: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N802, N803
        """Resolve a name for ``resolutionReceiver``."""
        return super().resolveHostName(_Public(resolutionReceiver), *args, **kwargs)


@implementer(IResolutionReceiver)
class _Public:
    """Passes on what is public."""

    def __init__(self, receiver: Any) -> None:
        self._receiver = receiver

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        if is_public(getattr(address, "host", "")):
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        self._receiver.resolutionComplete()

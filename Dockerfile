# docker build -t webgrain .
# docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/data" webgrain segment site/ -o result
#
# The sandbox of Chromium needs user namespaces, which Docker forbids by default: for commands
# that use the browser add --security-opt seccomp=unconfined, or a profile that allows clone and unshare.

FROM python:3.13-slim-trixie AS build
ARG EXTRAS=render,store,crawl
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml setup.py MANIFEST.in README.md LICENSE ./
COPY src src
RUN python -m venv /opt/webgrain && /opt/webgrain/bin/pip install --no-cache-dir ".[$EXTRAS]"

FROM python:3.13-slim-trixie
# Debian provides security updates of the browser; tini ends orphaned processes and forwards Ctrl-C.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium fonts-dejavu-core fonts-liberation tini \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/webgrain /opt/webgrain
# Works for any user (--user); HOME holds the temporary files of the browser.
ENV PATH=/opt/webgrain/bin:$PATH HOME=/tmp WEBGRAIN_BROWSER=/usr/bin/chromium
USER 1000:1000
WORKDIR /data
ENTRYPOINT ["tini", "--", "webgrain"]
CMD ["--help"]

ARG BUN_VERSION=1.4.5

# Compiles on the machine that builds, for the architecture of the image: nothing is emulated.
FROM --platform=$BUILDPLATFORM oven/bun:${BUN_VERSION}-slim AS build
ARG TARGETARCH
WORKDIR /src
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile
COPY . .
RUN bun run build --target "linux-$(echo "$TARGETARCH" | sed s/amd64/x64/)" && mkdir -m 0700 /data

# No shell, no package manager: glibc, certificates, time zones and the binary.
FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /src/dist/formsrv /usr/local/bin/formsrv
COPY --from=build --chown=65532:65532 /data /data
ENV FORMSRV_HOST=0.0.0.0 FORMSRV_DATA_DIR=/data
VOLUME ["/data"]
EXPOSE 8080 8081
USER 65532:65532
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s CMD ["/usr/local/bin/formsrv", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/formsrv"]
CMD ["serve"]

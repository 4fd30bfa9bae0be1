# The image of a release, from binaries that goreleaser has built. Dockerfile builds the same from source.
FROM scratch
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/ngxlimit /ngxlimit
COPY LICENSE /LICENSE
WORKDIR /conf
USER 65532:65532
ENTRYPOINT ["/ngxlimit"]

# ngxlimit and nothing else: no shell, no libraries, no root.
#
#   docker build --build-arg VERSION=0.1.0 --build-arg COMMIT="$(git rev-parse HEAD)" -t ngxlimit .
#   nginx -T 2>&1 | docker run -i --rm ngxlimit check -
#   docker run --rm -v /etc/nginx:/conf:ro ngxlimit check nginx.conf
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION=0.1.0-dev COMMIT= DATE=
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
    -ldflags="-s -w -X main.version=$VERSION -X main.commit=$COMMIT -X main.date=$DATE" -o /ngxlimit ./cmd/ngxlimit

FROM scratch
COPY --from=build /ngxlimit /ngxlimit
COPY LICENSE /LICENSE
WORKDIR /conf
USER 65532:65532
ENTRYPOINT ["/ngxlimit"]

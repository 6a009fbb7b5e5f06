# docker build -t wordline . && docker run --rm -v "$PWD:/work" wordline run tiny --workload zipf:requests=1e5,read=0.5,interval_us=2000
FROM rust:1-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc make python3 python3-venv
COPY . /source
WORKDIR /source
RUN make wheel FROM_WHEEL=1

FROM python:3.13-slim-bookworm
COPY --from=build /source/target/wheel/dist/*.whl /tmp/
RUN pip install --no-cache-dir /tmp/*.whl vl-convert-python && rm /tmp/*.whl
WORKDIR /work
ENTRYPOINT ["wordline"]

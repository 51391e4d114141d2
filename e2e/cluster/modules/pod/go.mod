module slipway.dev/e2e/cluster/pod

go 1.26.0

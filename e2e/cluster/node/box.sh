#!/usr/bin/env bash
# The first process of a real node, in mount, PID, network, UTS and IPC namespaces of its own (real-node.ts makes them):
# it furnishes them, starts containerd, kubelet and kube-proxy, and starts again what ends. When it is killed, everything
# on the node is gone with it. NODE_NAME, NODE_FOLDER, NODE_ADDRESS, GATEWAY and ROUTES come from the environment.
set -eu

furnish() {
  mount -t proc proc /proc
  refresh_sys
  lay_over_kernel_settings
  mount -t tmpfs tmpfs /run
  mount --bind "$NODE_FOLDER/var-lib" /var/lib
  mount --bind "$NODE_FOLDER/var-log" /var/log
  mount --make-rshared / # volumes that the kubelet mounts have to appear in containers
  echo "$NODE_NAME" >/proc/sys/kernel/hostname
}

# /sys shows the network devices of the namespace in which it was mounted; the control groups in it have to stay.
refresh_sys() {
  local keep=$NODE_FOLDER/keep
  mkdir -p "$keep"
  mount -t tmpfs tmpfs "$keep"
  mkdir "$keep/cgroup"
  mount --rbind /sys/fs/cgroup "$keep/cgroup"
  mount -t sysfs sysfs /sys
  mount --rbind "$keep/cgroup" /sys/fs/cgroup
  umount --lazy "$keep"
}

lay_over_kernel_settings() {
  local file
  (cd "$NODE_FOLDER/sys" && find . -type f) | while read -r file; do
    mount --bind "$NODE_FOLDER/sys/$file" "/proc/sys/$file"
  done
}

# The link appears when the process that started this one has moved it here.
connect() {
  ip link set lo up
  until ip link show eth0 >/dev/null 2>&1; do sleep 0.02; done
  ip addr add "$NODE_ADDRESS/24" dev eth0
  ip link set eth0 up
  ip route add default via "$GATEWAY"
  echo "$ROUTES" | ip -batch -
  echo 1 >/proc/sys/net/ipv4/ip_forward
}

keep_running() {
  local name=$1
  shift
  while :; do
    "$@" >>"$NODE_FOLDER/$name.log" 2>&1 || true
    sleep 1
  done
}

furnish
connect
mkdir -p /var/lib/kubelet /var/log/pods
keep_running containerd containerd --config "$NODE_FOLDER/containerd.toml" &
until [ -S /run/containerd/containerd.sock ]; do sleep 0.02; done
keep_running kubelet kubelet --config="$NODE_FOLDER/kubelet.json" --kubeconfig="$NODE_FOLDER/kubelet.kubeconfig" \
  --hostname-override="$NODE_NAME" --node-ip="$NODE_ADDRESS" --root-dir=/var/lib/kubelet &
keep_running kube-proxy kube-proxy --config="$NODE_FOLDER/kube-proxy.json" &
while :; do wait -n || true; done

#!/usr/bin/env bash
# Generates the secrets of docker-compose.yml: random passwords, and the addresses
# and settings that contain them, one file each. Existing files are kept, so it can
# be run again after an update. Usage: deploy/secrets.sh [FOLDER]
set -euo pipefail

dir=${1:-"$(dirname "$0")/secrets"}
# The mode of the folder protects them from other users of this machine. The files
# are readable, because each container reads them as a different user.
umask 077
mkdir -p "$dir"
chmod 700 "$dir"

# put NAME VALUE
put() {
  [ -s "$dir/$1" ] || printf '%s\n' "$2" >"$dir/$1"
  chmod 444 "$dir/$1"
}

random() { # letters and digits only: they go into addresses
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n'
}

# The base64 key with which members of the replica set authenticate each other.
put mongo_keyfile "$(head -c 64 /dev/urandom | base64 | tr -d '\n=')"
put mongo_root_password "$(random)"

# The secret with which services prove to auth that they are services.
put peer_secret "$(random)"

members=mongo-1:27017,mongo-2:27017,mongo-3:27017
for user in auth records review calculation standalone; do
  database=ecf
  [ "$user" = auth ] && database=ecf_auth
  put "mongo_${user}_password" "$(random)"
  put "mongo_${user}_uri" "mongodb://$user:$(cat "$dir/mongo_${user}_password")@$members/$database?replicaSet=rs0&authSource=$database"
done

for role in queue cache; do
  put "redis_${role}_password" "$(random)"
  put "redis_${role}_conf" "requirepass $(cat "$dir/redis_${role}_password")"
  put "redis_${role}_url" "redis://:$(cat "$dir/redis_${role}_password")@redis-$role:6379/0"
done

echo "secrets are in $dir"

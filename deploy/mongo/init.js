// Creates the replica set, its administrator, and one user for each service with only
// that service's rights. Run it with mongosh on the loopback address of a member: the
// first user can only be created from there. It may be run again: it adds what is
// missing and resets passwords and rights to those below.
//
//   MONGO_MEMBERS  members of the replica set rs0: "mongo-1:27017,mongo-2:27017"
//   SECRETS_DIR    folder with the files mongo_root_password and, for each
//                  service, mongo_<service>_password; by default /run/secrets
"use strict";

const fs = require("fs");
const secretsDir = process.env.SECRETS_DIR || "/run/secrets";
const secret = (name) => fs.readFileSync(`${secretsDir}/${name}`, "utf8").trim();

const administrator = "root";
const deadline = Date.now() + 120 * 1000;

function waitFor(what, condition) {
  while (!condition()) {
    if (Date.now() > deadline) {
      throw new Error(`gave up waiting for ${what}`);
    }
    sleep(500);
  }
}

// What a service does in a collection. Services create indexes in an empty database;
// in any other the schema command of the administrators' program does.
const read = ["find", "listIndexes"];
const make = ["createCollection", "createIndex"];
const write = ["insert", "update"];
const remove = ["remove"];

// The rights of each service in the database ecf. Only idempotency keys, which
// expire, files of imports, and parts of documents that were never signed are ever
// removed: records and events are marked as deleted, not removed.
const rights = {
  records: {
    organizations: [...read, ...make, ...write],
    events: [...read, ...make, ...write],
    records: [...read, ...make, ...write],
    event_history: [...read, ...make, ...write],
    history: [...read, ...make, ...write],
    idempotency_keys: [...read, ...make, ...write, ...remove],
    imports: [...read, ...make, ...write],
    import_parts: [...read, ...make, ...write, ...remove],
    supplier_factors: [...read, ...make, ...write],
    // Former states of a policy are added and never changed.
    policies: [...read, ...make, "insert"],
    // Only the administrators' program adds factor sets.
    factor_packs: [...read, ...make],
    list_sets: [...read, ...make, ...write],
    list_counts: [...read, ...make, ...write],
    // The number of records in each state, which every reader updates.
    record_counts: [...read, ...make, ...write],
  },
  review: {
    organizations: [...read, ...make],
    events: [...read, ...make],
    records: [...read, ...make, ...write],
    event_history: [...read, ...make],
    history: [...read, ...make, ...write],
    idempotency_keys: [...read, ...make, ...write, ...remove],
    imports: [...read, ...make],
    import_parts: [...read, ...make],
    supplier_factors: [...read, ...make],
    policies: [...read, ...make],
    factor_packs: [...read, ...make],
    list_sets: [...read, ...make],
    list_counts: [...read, ...make],
    record_counts: [...read, ...make, ...write],
  },
  calculation: {
    organizations: [...read, ...make],
    // Events and records have the marks that request a calculation, events the
    // factor set in use, records the contribution last counted.
    events: [...read, ...make, "update"],
    records: [...read, ...make, "update"],
    // Signing off is an entry of the event's history.
    event_history: [...read, ...make, "insert"],
    history: [...read, ...make],
    idempotency_keys: [...read, ...make, ...write, ...remove],
    imports: [...read, ...make],
    import_parts: [...read, ...make],
    supplier_factors: [...read, ...make],
    policies: [...read, ...make],
    factor_packs: [...read, ...make],
    list_sets: [...read, ...make],
    list_counts: [...read, ...make],
    record_counts: [...read, ...make, ...write],
    // Documents of signed revisions; unreferenced ones are swept.
    result_parts: [...read, ...make, ...write, ...remove],
    result_nodes: [...read, ...make, ...write],
    results: [...read, ...make, ...write],
    result_revisions: [...read, ...make, ...write],
    result_changes: [...read, ...make, ...write],
  },
};
// The rights of auth, in a separate database for the accounts. Entries are added to
// the audit log; no service can change or remove one.
const accountRights = {
  users: [...read, ...make, ...write],
  sessions: [...read, ...make, ...write, ...remove],
  admins: [...read, ...make, ...write],
  audit: [...read, ...make, "insert"],
  audit_heads: [...read, ...make, ...write],
};

// The schema version of each store. A program that finds an older one migrates it.
for (const collections of [...Object.values(rights), accountRights]) {
  collections.schema_versions = [...read, ...make, ...write];
}

// The program of administrators does what records and calculation do.
rights.standalone = { ...rights.calculation, ...rights.records };
rights.standalone.factor_packs = [...read, ...make, ...write];
// Only it migrates the schema, which replaces indexes.
for (const collection of Object.keys(rights.standalone)) {
  rights.standalone[collection] = [...rights.standalone[collection], "dropIndex"];
}
// It drops revisions of results on request: ecf results prune.
for (const collection of ["result_revisions", "result_changes"]) {
  rights.standalone[collection] = [...rights.standalone[collection], ...remove];
}

function putRole(database, name, privileges) {
  const role = { privileges, roles: [] };
  if (database.getRole(name) === null) {
    database.createRole({ role: name, ...role });
  } else {
    database.updateRole(name, role);
  }
}

function putUser(database, name, roles) {
  const user = { pwd: secret(`mongo_${name}_password`), roles };
  if (database.getUser(name) === null) {
    database.createUser({ user: name, ...user });
  } else {
    database.updateUser(name, user);
  }
}

const admin = db.getSiblingDB("admin");

function signIn() {
  try {
    return admin.auth(administrator, secret("mongo_root_password")).ok === 1;
  } catch (e) {
    if (e.codeName === "AuthenticationFailed") {
      return false; // not made yet
    }
    throw e;
  }
}

if (db.hello().setName === undefined) {
  const members = process.env.MONGO_MEMBERS.split(",").map((host, i) => ({
    _id: i,
    host,
    // This member must be the primary, to create the users.
    priority: i === 0 ? 2 : 1,
  }));
  rs.initiate({ _id: "rs0", members });
}
waitFor("this member to be the primary", () => db.hello().isWritablePrimary);
if (!signIn()) {
  admin.createUser({ user: administrator, pwd: secret("mongo_root_password"), roles: ["root"] });
  if (!signIn()) {
    throw new Error("the administrator cannot sign in");
  }
}

function putService(name, service, collections) {
  const database = db.getSiblingDB(name);
  const privileges = Object.entries(collections).map(([collection, actions]) => ({
    resource: { db: name, collection },
    actions,
  }));
  putRole(database, service, privileges);
  putUser(database, service, [{ role: service, db: name }]);
}

for (const [service, collections] of Object.entries(rights)) {
  putService("ecf", service, collections);
}
// Accounts are separate: no other service can read a password hash.
putService("ecf_auth", "auth", accountRights);

print("the replica set and its users are ready");

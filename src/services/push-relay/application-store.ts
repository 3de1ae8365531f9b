import { type Db, startStatement } from "#platform/database/index.ts";
import { openAppSecret, sealAppSecret } from "./sealed.ts";

/** An application of the campus platform. */
export interface Application {
  readonly id: number;
  readonly appKey: string;
  readonly schoolCode: string;
  readonly name: string;
  /** CIDR; empty for anywhere. */
  readonly allowedNetworks: readonly string[];
  /** Only pushes with the secret in them are taken. */
  readonly secretRequired: boolean;
}

export interface SecretApplication extends Application {
  readonly appSecret: string;
  /** Changes with the row. */
  readonly version: string;
}

export type NewApplication = Omit<SecretApplication, "id" | "version">;
export type ApplicationChange = { readonly [K in keyof NewApplication]?: NewApplication[K] | undefined };

const columns = `id, app_key as "appKey", school_code as "schoolCode", name, allowed_networks as "allowedNetworks",
  secret_required as "secretRequired"`;

/** All of them, newest first. */
export async function listApplications(db: Db): Promise<Application[]> {
  return startStatement().run<Application>(db, `select ${columns} from push_relay.campus_app order by id desc`);
}

/** All of them with their secrets: for whoever has to judge pushes. */
export async function listSecretApplications(db: Db): Promise<SecretApplication[]> {
  // xmin is the transaction that wrote the row: a version that no writer can forget to raise.
  const rows = await startStatement().run<SecretApplication>(
    db,
    `select ${columns}, app_secret as "appSecret", xmin::text as version from push_relay.campus_app`,
  );
  return rows.map((row) => ({ ...row, appSecret: openAppSecret(db.keys, row.appSecret) }));
}

/** Stores an application and returns its id. */
export async function insertApplication(tx: Db, application: NewApplication): Promise<number> {
  const { appKey, appSecret, schoolCode, name, allowedNetworks, secretRequired } = application;
  const [row] = await tx<[{ id: number }]>`
    insert into push_relay.campus_app (app_key, app_secret, school_code, name, allowed_networks, secret_required)
    values (${appKey}, ${sealAppSecret(tx.keys, appSecret)}, ${schoolCode}, ${name}, ${allowedNetworks}, ${secretRequired})
    returning id`;
  return row.id;
}

/** Changes what is given; false when there is no such application. */
export async function updateApplication(tx: Db, id: number, change: ApplicationChange): Promise<boolean> {
  const { appKey, appSecret, schoolCode, name, allowedNetworks, secretRequired } = change;
  const sealed = appSecret === undefined ? null : sealAppSecret(tx.keys, appSecret);
  const rows = await tx`
    update push_relay.campus_app set
      app_key = coalesce(${appKey ?? null}, app_key),
      app_secret = coalesce(${sealed}, app_secret),
      school_code = coalesce(${schoolCode ?? null}, school_code),
      name = coalesce(${name ?? null}, name),
      allowed_networks = coalesce(${allowedNetworks ?? null}, allowed_networks),
      secret_required = coalesce(${secretRequired ?? null}, secret_required)
    where id = ${id} returning 1`;
  return rows.length > 0;
}

/** False when there is no such application. */
export async function deleteApplication(tx: Db, id: number): Promise<boolean> {
  return (await tx`delete from push_relay.campus_app where id = ${id} returning 1`).length > 0;
}

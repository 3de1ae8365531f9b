import { createHash } from "node:crypto";
import type { Cell, Fault, Table } from "./old-services.ts";

const bcrypt = "$2a$10$abcdefghijklmnopqrstuuvJzCFTqOsMPLlHQcjm1PPB1cdvi82fG";
const hex = (kind: string, text: string): string => createHash(kind).update(text).digest("hex");

export const oldAccounts = [
  { id: 1, userName: "shiro", password: "correct-old-1", salt: "s1", hash: hex("sha256", "s1correct-old-1") },
  { id: 2, userName: "plain-md5", password: "correct-old-2", salt: "", hash: hex("md5", "correct-old-2") },
  { id: 3, userName: "salted-md5", password: "correct-old-3", salt: "s3", hash: hex("md5", "correct-old-3s3") },
  { id: 4, userName: "ruoyi", password: "correct-old-4", salt: "", hash: bcrypt },
  { id: 5, userName: "ruoyi-md5", password: "correct-old-5", salt: "s5", hash: hex("md5", "ruoyi-md5correct-old-5s5") },
] as const;

export const makeAccounts = (name: string, types: readonly [string, string]): { table: Table; faults: Fault[] } => {
  const accounts: Cell[][] = oldAccounts.map((account, at) => [
    account.id,
    account.userName,
    account.hash,
    account.salt,
    at === 0 ? types[0] : types[1],
    "1",
    "2016-11-11 11:11:11",
  ]);
  const faulty: Cell[][] = [
    [6, "Shiro", oldAccounts[1].hash, "", types[1], "1", null],
    [7, "unknown", "{noop}secret", "", types[1], "1", "0000-00-00 00:00:00"],
    [8, "shiro", oldAccounts[1].hash, "", types[1], "1", null],
    [9, "", oldAccounts[1].hash, "", types[1], "0x00", null],
  ];
  const rows = [...accounts, ...faulty];
  return {
    table: {
      name,
      columns: [
        "id bigint",
        "user_name",
        "password",
        "salt",
        "admin_type",
        "status tinyint(1)",
        "create_time datetime",
      ],
      count: rows.length,
      rows: (n) => rows[n - 1] ?? [],
    },
    faults: [
      // Administrator 1 gets another id, since the platform's first operator already has the id 1.
      ["administrators", "1", "changed", "id"],
      ["administrators", "6", "decide", "service, name_key"],
      ["administrators", "7", "decide", "password"],
      ...(types[0] === "1" ? [["administrators", "7", "changed", "time"] as const] : []),
      ["administrators", "8", "refused", "service, user_name"],
      ["administrators", "9", "refused", "userName"],
    ],
  };
};

import type { OldRecord } from "#platform/process/old-row.ts";
import { createSecret } from "#platform/outbound/signature.ts";
import { url as urlField } from "./project-contract.ts";
import { sealSecret } from "./sealed.ts";

const noAddress = { zh: "应为 http 或 https 地址", en: "must be an http or https address" };

const projects: OldRecord = {
  name: "projects",
  table: "push_relay.project",
  columns: ["url", "name", "statu", "secret", "created_at", "deleted_at"],
  // Later imports keep the secret, since the project's receiver may have it already.
  once: ["secret", "created_at"],
  unique: [{ of: ["case when deleted_at is null then url end", "name"], otherwise: "refuse" }],
  toRow: (old, keys) => {
    const url = old.name("url");
    const isAddress = urlField.safeParse(url).success;
    if (!old.isRefused && !isAddress) old.find("refused", "url", noAddress);
    return {
      url,
      name: old.text("project") || (isAddress ? new URL(url).host : ""),
      statu: Number(old.choice("statu", ["0", "1"], "0")),
      secret: sealSecret(keys, createSecret()),
      created_at: old.timeOrNull("createTime") ?? new Date().toISOString(),
      deleted_at: null,
    };
  },
};

// The old delivery log is not imported, so nothing is sent again.
export const oldRecords: readonly OldRecord[] = [projects];

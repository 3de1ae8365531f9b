import { oldAccounts } from "#platform/accounts/old-accounts.ts";
import type { Settings } from "#platform/process/config.ts";
import { toLink } from "#platform/process/links.ts";
import { type OldRecord, type OldRow, toFlag } from "#platform/process/old-row.ts";
import { service } from "./rules.ts";
import { sealPhones } from "./sealed.ts";
import { progress, submitted } from "./store.ts";

const columns = [...Object.values(submitted), "phone_sealed", "phone_found", ...Object.values<string>(progress)];

/** Reads a list, which an old column holds either as JSON or separated by commas or semicolons. */
function readList(old: OldRow, field: string): string[] {
  const text = old.text(field).trim();
  const read = (): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };
  const listed = text.startsWith("[") ? read() : undefined;
  const parts = Array.isArray(listed) ? listed.map(String) : text.split(/[,，;；]/);
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

const reports: OldRecord = {
  name: "reports",
  table: "reporting.report",
  columns,
  files: { columns: ["b_file", "file"], holder: "report" },
  counted: { by: "to_char(created_at, 'YYYY-MM')" },
  toRow: (old, keys) => {
    const tender = old.timeOrNull("tenderTime");
    const created = old.timeOrNull("reportingTime") ?? old.timeOrNull("updateTime") ?? old.time("tenderTime");
    const phones = sealPhones(keys, {
      phone: old.text("phone"),
      wxPhone: old.textOrNull("wxPhone") ?? undefined,
    });
    return {
      name: old.indexed("name"),
      phone: phones.phone,
      phone_sealed: phones.phoneSealed,
      phone_found: phones.phoneFound,
      wx_phone: phones.wxPhone ?? null,
      company: old.indexed("company"),
      customer_name: old.text("customerName"),
      entry_name: old.text("entryName"),
      project_amount: old.text("projectAmount"),
      tender_time: tender ?? created,
      content: old.textOrNull("content"),
      parameters: old.textOrNull("parameters"),
      trade: old.indexed("trade"),
      licensing: old.text("licensing"),
      product: old.textOrNull("product"),
      b_product: readList(old, "bProduct"),
      b_file: readList(old, "bFile"),
      file: old.textOrNull("file"),
      closed: toFlag(old.choice("status", ["0", "1"], "1") === "0"),
      deleted: toFlag(old.choice("delStatus", ["0", "1"], "1") === "0"),
      verdict: Number(old.choice("valid", ["0", "1", "2"], "0")),
      ps: old.textOrNull("ps"),
      created_at: created,
      updated_at: old.timeOrNull("updateTime") ?? created,
    };
  },
};

export const oldRecords: readonly OldRecord[] = [reports, oldAccounts(service, ["1", "2"])];

export const toFileReference = (settings: Settings, upload: string): string =>
  toLink(settings, `/reporting/file/${upload}`);

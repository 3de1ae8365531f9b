import type * as z from "zod";
import type { Account } from "#platform/accounts/account-store.ts";
import { formatDateTime } from "#platform/times.ts";
import type { administrator, report } from "./contract.ts";
import type { ReportRow } from "./store.ts";

/** A stored report in the contract's spelling. */
export function toReport(row: ReportRow, zone: string): z.input<typeof report> {
  return {
    id: row.id,
    name: row.name,
    phone: row.phone,
    wxPhone: row.wxPhone,
    company: row.company,
    customerName: row.customerName,
    entryName: row.entryName,
    projectAmount: row.projectAmount,
    tenderTime: formatDateTime(row.tenderTime, zone),
    content: row.content,
    parameters: row.parameters,
    trade: row.trade,
    licensing: row.licensing,
    product: row.product,
    bProduct: row.bProduct,
    bFile: row.bFile,
    file: row.file,
    status: row.closed ? 0 : 1,
    delStatus: row.deleted ? 0 : 1,
    valid: row.verdict,
    ps: row.ps,
    reportingTime: formatDateTime(row.createdAt, zone),
    updateTime: formatDateTime(row.updatedAt, zone),
  };
}

/** An account in the contract's spelling. */
export function toAdministrator(account: Account, zone: string): z.input<typeof administrator> {
  return {
    id: account.id,
    userName: account.userName,
    name: account.name,
    password: null,
    adminType: account.isSuper ? 1 : 2,
    time: formatDateTime(account.createdAt, zone),
    status: account.enabled ? 1 : 0,
  };
}

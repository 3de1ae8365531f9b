import type * as z from "zod";
import { explain } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { CampusEvent } from "./campus-contract.ts";
import { markLeft, writers } from "./forms.ts";
import { changeSelection, openSource } from "./selection.ts";
import { givenSelection, type preview, type Selection, wholeSelection } from "./selection-contract.ts";
import { findLatest, findRequest } from "./selection-store.ts";

type Preview = z.output<typeof preview>;

/** @throws {Problem} badFormat unless the text is a valid selection in JSON */
export function readSelection(text: string): Selection {
  const given = givenSelection.safeParse(parse(text));
  if (!given.success) {
    const [{ path, message } = { path: [], message: "" }] = given.error.issues;
    const where = ["selection", ...path].join(".");
    throw explain("badFormat", `${where}: 格式错误`, `${where}: ${message}`);
  }
  return changeSelection(null, given.data) ?? wholeSelection;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function previewEvent(db: Db, event: CampusEvent, chosen: Selection): Promise<Preview> {
  const nothing = { contentType: null, body: null, missing: [] };
  const latest = await findLatest(db, event);
  if (!latest) return { state: "noEvent", ...nothing };
  const { head, data, schoolCode } = latest;
  const source = openSource({ event, schoolCode, data }, await findRequest(db, schoolCode));
  const missing = source.missing(chosen);
  const part = source.partFor(chosen);
  if (!part) return { state: "notGiven", ...nothing, missing };
  const leaves = part.fits === false;
  const { contentType, write } = writers[part.form];
  const body = write(leaves ? markLeft(head) : head, part.data);
  return { state: leaves ? "left" : "given", contentType, body, missing };
}

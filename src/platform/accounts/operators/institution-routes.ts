import { storeAuditedImage } from "#platform/accounts/audited-upload.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { toFileAnswer } from "#platform/files/file-answer.ts";
import { findUpload, referenceUploads } from "#platform/files/upload.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { Institution } from "#platform/process/institution.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { InstitutionEndpoints } from "./institution-contract.ts";

const service = "platform";

export const institutionHandlers = (platform: Platform): Handlers<InstitutionEndpoints> => ({
  readInstitution: ({ db }) => readInstitution(db),
  changeInstitution: withoutTransaction(async ({ body, transact }) => {
    const answer = await transact((tx) => changeInstitution(tx, body));
    await platform.institution.load();
    return answer;
  }),
  uploadInstitutionPicture: withoutTransaction(async (call) => {
    const imageName = await storeAuditedImage(platform, { service, action: "uploadInstitutionPicture" }, call);
    return { imageName };
  }),
  readInstitutionPicture: async ({ db, params, request }) => {
    return toFileAnswer(found(await findUpload(db, service, params.name)), platform.files, request);
  },
});

async function readInstitution(db: Db): Promise<Institution> {
  const found = await db.first<Institution>`
    select name, name_en as "nameEn", color, logo, seal from platform.institution`;
  if (!found) throw new Problem("unknownError");
  return found;
}

type Change = { readonly [K in keyof Institution]?: Institution[K] | undefined };

async function changeInstitution(tx: Db, change: Change): Promise<string> {
  const { name, nameEn, color, logo, seal } = change;
  for (const [record, picture] of Object.entries({ logo, seal })) {
    if (picture === undefined) continue;
    const held = await referenceUploads(
      tx,
      { service, record: `institution/${record}` },
      picture === "" ? [] : [picture],
    );
    if (picture !== "" && held.length === 0)
      throw explain(
        "notAllowedNow",
        `${record}: 应为上传图片后返回的 imageName`,
        `${record}: must be the imageName returned by an upload`,
      );
  }
  await tx.send`
    update platform.institution set
      name = coalesce(${name?.trim() ?? null}, name), name_en = coalesce(${nameEn?.trim() ?? null}, name_en),
      color = coalesce(${color ?? null}, color), logo = coalesce(${logo ?? null}, logo),
      seal = coalesce(${seal ?? null}, seal)`;
  return "1";
}

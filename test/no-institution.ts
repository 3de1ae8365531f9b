import type { InstitutionReader } from "#platform/process/institution.ts";

const unset = { name: "", nameEn: "", color: "", logo: "", seal: "" };

/** For pages served without a database. */
export const noInstitution: InstitutionReader = { current: () => unset, load: async () => {} };

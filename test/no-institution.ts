import type { InstitutionReader } from "#platform/process/institution.ts";

const unset = { name: "", nameEn: "", color: "", logo: "", seal: "" };

export const noInstitution: InstitutionReader = { current: () => unset, load: async () => {} };

import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import type { emergencyTeamEndpoints } from "./contract.ts";
import { countTeams, members, teams } from "./store.ts";

export function emergencyTeamHandlers({ settings }: Platform): Handlers<typeof emergencyTeamEndpoints> {
  const ofTeams = keepRecords(teams, settings);
  const ofMembers = keepRecords(members, settings);
  return {
    countTeams: async ({ db }) => found(await countTeams(db)),
    listTeams: ofTeams.page,
    saveTeam: ofTeams.save,
    updateTeam: ofTeams.update,
    deleteTeams: ofTeams.remove,
    listMembers: ofMembers.page,
    saveMember: ofMembers.save,
    updateMember: ofMembers.update,
    deleteMembers: ofMembers.remove,
  };
}

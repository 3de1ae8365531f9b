import * as z from "zod";
import { freeText, recordId, requiredText } from "#platform/contract/wire.ts";
import { count32, open, own, page, read, recordOf, remove, save, token, update } from "./record-contract.ts";

const teamFields = {
  teamName: requiredText(),
  leader: freeText().optional(),
  leaderPhone: freeText().optional(),
  duty: freeText(4000).optional(),
};

const memberFields = {
  teamId: recordId(),
  name: requiredText(),
  phone: freeText().optional(),
  post: freeText().optional(),
};

export const team = recordOf(teamFields);
export const member = recordOf(memberFields);
export const teamStatistics = z.object({
  teamCount: count32().describe("Number of teams"),
  peopleCount: count32().describe("Number of members of all teams"),
});

export const emergencyTeamEndpoints = {
  countTeams: read("/emergencyTeam/statistics", open, "Read the number of emergency teams and members", teamStatistics),
  listTeams: page("/emergencyTeam/list", own, "List emergency teams, newest first", {
    record: team,
    filters: {},
  }),
  saveTeam: save("/emergencyTeam/save", own, "Add an emergency team", teamFields, ["alreadyExists"]),
  updateTeam: update("/emergencyTeam/update", own, "Change an emergency team", teamFields, ["alreadyExists"]),
  deleteTeams: remove("/emergencyTeam/delete", own, "Delete emergency teams with their members"),
  listMembers: page("/emergencyTeam/member/list", own, "List members of emergency teams, newest first", {
    record: member,
    filters: { teamId: recordId().optional() },
  }),
  saveMember: save("/emergencyTeam/member/save", own, "Add a member to an emergency team", memberFields, ["notFound"]),
  updateMember: update("/emergencyTeam/member/update", own, "Change a member of an emergency team", memberFields, [
    "notFound",
  ]),
  deleteMembers: remove("/emergencyTeam/member/delete", token, "Delete members of emergency teams"),
};

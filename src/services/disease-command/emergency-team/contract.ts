import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { freeText, recordId, requiredText } from "#platform/contract/wire.ts";
import {
  count32,
  deleteEndpoint,
  open,
  own,
  pageEndpoint,
  prefix,
  recordOf,
  saveEndpoint,
  token,
  updateEndpoint,
} from "#services/disease-command/record-contract.ts";

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
  teamCount: count32().describe("Teams"),
  peopleCount: count32().describe("Their members"),
});

const at = "/emergencyTeam";

export const emergencyTeamEndpoints = {
  countTeams: endpoint({
    method: "GET",
    url: `${prefix}${at}/statistics`,
    summary: "How many emergency teams and members there are",
    ...open,
    answer: { as: "envelope", data: teamStatistics },
  }),
  listTeams: pageEndpoint(`${at}/list`, own, "List emergency teams, newest first", { record: team, filters: {} }),
  saveTeam: saveEndpoint(`${at}/save`, own, "Add an emergency team", teamFields, ["alreadyExists"]),
  updateTeam: updateEndpoint(`${at}/update`, own, "Change an emergency team", teamFields, ["alreadyExists"]),
  deleteTeams: deleteEndpoint(`${at}/delete`, own, "Delete emergency teams with their members"),
  listMembers: pageEndpoint(`${at}/member/list`, own, "List members of emergency teams, newest first", {
    record: member,
    filters: { teamId: recordId().optional() },
  }),
  saveMember: saveEndpoint(`${at}/member/save`, own, "Add a member to an emergency team", memberFields, ["notFound"]),
  updateMember: updateEndpoint(`${at}/member/update`, own, "Change a member of an emergency team", memberFields, [
    "notFound",
  ]),
  deleteMembers: deleteEndpoint(`${at}/member/delete`, token, "Delete members of emergency teams"),
};

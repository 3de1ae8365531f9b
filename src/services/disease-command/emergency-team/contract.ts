import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { freeText, recordId, requiredText } from "#platform/contract/wire.ts";
import * as records from "#services/disease-command/record-contract.ts";

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

export const team = records.recordOf(teamFields);
export const member = records.recordOf(memberFields);
export const teamStatistics = z.object({
  teamCount: records.count32().describe("Teams"),
  peopleCount: records.count32().describe("Their members"),
});

const at = "/emergencyTeam";

export const emergencyTeamEndpoints = {
  countTeams: endpoint({
    method: "GET",
    url: `${records.prefix}${at}/statistics`,
    summary: "How many emergency teams and members there are",
    ...records.open,
    answer: { as: "envelope", data: teamStatistics },
  }),
  listTeams: records.page(`${at}/list`, records.own, "List emergency teams, newest first", {
    record: team,
    filters: {},
  }),
  saveTeam: records.save(`${at}/save`, records.own, "Add an emergency team", teamFields, ["alreadyExists"]),
  updateTeam: records.update(`${at}/update`, records.own, "Change an emergency team", teamFields, ["alreadyExists"]),
  deleteTeams: records.remove(`${at}/delete`, records.own, "Delete emergency teams with their members"),
  listMembers: records.page(`${at}/member/list`, records.own, "List members of emergency teams, newest first", {
    record: member,
    filters: { teamId: recordId().optional() },
  }),
  saveMember: records.save(`${at}/member/save`, records.own, "Add a member to an emergency team", memberFields, [
    "notFound",
  ]),
  updateMember: records.update(
    `${at}/member/update`,
    records.own,
    "Change a member of an emergency team",
    memberFields,
    ["notFound"],
  ),
  deleteMembers: records.remove(`${at}/member/delete`, records.token, "Delete members of emergency teams"),
};

import { compileRead, toObject } from "#services/disease-command/record-store.ts";
import { equals, type FieldOf, plain, type RecordTable } from "#services/disease-command/record-table.ts";
import type { member, team } from "./contract.ts";

export const teams: RecordTable<FieldOf<typeof team>> = {
  table: "disease_command.emergency_team",
  columns: {
    teamName: plain("name"),
    leader: plain("leader"),
    leaderPhone: plain("leader_phone"),
    duty: plain("duty"),
  },
  unique: { emergency_team_name_key: "teamName" },
};

export const members: RecordTable<FieldOf<typeof member>> = {
  table: "disease_command.emergency_team_member",
  columns: { teamId: plain("team_id"), name: plain("name"), phone: plain("phone"), post: plain("post") },
  filters: { teamId: equals("team_id") },
};

/** SQL for how many teams and members there are. */
export const teamCounts = toObject(`
  select (select count(*) from ${teams.table}) as "teamCount", (select count(*) from ${members.table}) as "peopleCount"`);

export const countTeams = compileRead(teamCounts);

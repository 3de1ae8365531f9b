import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  teams: ["应急队伍", "Emergency teams"],
  team: ["应急队伍", "emergency team"],
  teamName: ["队伍名称", "Team"],
  leader: ["负责人", "Leader"],
  leaderPhone: ["负责人电话", "Leader's phone"],
  duty: ["职责", "Duties"],
  counts: (teams: string, people: string) => [
    `共 ${teams} 支队伍、${people} 名队员`,
    `Teams: ${teams}, members: ${people}`,
  ],
  noTeams: ["还没有应急队伍", "No emergency teams yet"],
  noTeamsAbout: ["先新建队伍，再为队伍添加队员。", "Add a team first, then its members."],
  removeTeamAbout: ["队伍的队员会一并删除，删除后不能恢复。", "Its members are deleted too. This cannot be undone."],
  showMembers: ["队员", "Members"],
  membersOf: (team: string) => [`查看 ${team} 的队员`, `Members of ${team}`],
  members: ["应急队员", "Team members"],
  member: ["应急队员", "team member"],
  name: ["姓名", "Name"],
  phone: ["联系电话", "Phone"],
  post: ["岗位", "Position"],
  noMembers: ["还没有应急队员", "No team members yet"],
  noMembersAbout: ["新建队员并选择所属队伍。", "Add a member and choose the team."],
});

import { useNavigate } from "react-router";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { formatCount } from "#console/blocks/format.ts";
import { RowAction } from "#console/blocks/buttons.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTeamTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";

type Team = RecordOf<typeof diseaseCommand.listTeams>;

export function TeamsPage() {
  const t = useTexts();
  const navigate = useNavigate();
  const { data } = useRead(diseaseCommand.countTeams, {});
  return (
    <RecordPage<Team>
      title={t.teams}
      about={data && t.counts(formatCount(data.teamCount), formatCount(data.peopleCount))}
      one={t.team}
      name="teams"
      what="emergencyTeam"
      operations={{
        list: diseaseCommand.listTeams,
        save: diseaseCommand.saveTeam,
        update: diseaseCommand.updateTeam,
        remove: diseaseCommand.deleteTeams,
      }}
      removeAbout={t.removeTeamAbout}
      nameOf={({ teamName }) => teamName}
      fields={[
        { kind: "text", name: "teamName", label: t.teamName, required: true, max: 255 },
        { kind: "text", name: "leader", label: t.leader, max: 255, width: 120 },
        { kind: "text", name: "leaderPhone", label: t.leaderPhone, max: 255, width: 140 },
        { kind: "multiline", name: "duty", label: t.duty, max: 4000, width: 320 },
      ]}
      rowActions={({ id, teamName }) => (
        <RowAction
          needs="nothing"
          label={t.membersOf(teamName)}
          onClick={() => void navigate(`/disease-command/members?teamId=${id}`)}
        >
          {t.showMembers}
        </RowAction>
      )}
      actionsWidth={200}
      empty={{ title: t.noTeams, about: t.noTeamsAbout }}
    />
  );
}

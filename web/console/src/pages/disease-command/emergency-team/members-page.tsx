import { useSearchParams } from "react-router";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTeamTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";

type Member = RecordOf<typeof diseaseCommand.listMembers>;

export function MembersPage() {
  const t = useTexts();
  const [search] = useSearchParams();
  const { data } = useRead(diseaseCommand.listTeams, { query: { pageSize: 1000 } });
  const teamId = Number(search.get("teamId"));
  const team = {
    kind: "select",
    name: "teamId",
    label: t.teamName,
    options: (data?.list ?? []).map(({ id, teamName }) => ({ value: id, label: teamName })),
  } as const;
  return (
    <RecordPage<Member>
      title={t.members}
      one={t.member}
      name="members"
      what="emergencyTeamMember"
      operations={{
        list: diseaseCommand.listMembers,
        save: diseaseCommand.saveMember,
        update: diseaseCommand.updateMember,
        remove: diseaseCommand.deleteMembers,
      }}
      nameOf={({ name }) => name}
      filters={[team]}
      initial={teamId > 0 ? { teamId } : {}}
      fields={[
        { kind: "text", name: "name", label: t.name, required: true, max: 255, width: 140 },
        { ...team, required: true, width: 220 },
        { kind: "text", name: "post", label: t.post, max: 255 },
        { kind: "text", name: "phone", label: t.phone, max: 255, width: 140 },
      ]}
      empty={{ title: t.noMembers, about: t.noMembersAbout }}
    />
  );
}

import { diseaseCommand } from "#console/api/disease-command.ts";
import { Status } from "#console/blocks/status.tsx";
import type { RecordOf } from "#console/call/operation.ts";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/disease-command/administrators/texts.ts";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";
import { useSession } from "#console/session/session.ts";

/** An administrator; the password goes in and never comes out. */
type Administrator = Omit<RecordOf<typeof diseaseCommand.listAdministrators>, "password"> & {
  readonly password?: string;
};

/** The service's administrators: everybody may see them, super administrators change them. */
export function AdministratorsPage() {
  const t = useTexts(texts);
  const session = useSession();
  const password = {
    kind: "password",
    name: "password",
    label: t.password,
    min: 8,
    max: 128,
    listed: "never",
  } as const;
  const toOptions = <K extends string>(names: Readonly<Record<K, string>>) =>
    (Object.keys(names) as K[]).toReversed().map((value) => ({ value, label: names[value] }));
  return (
    <RecordPage<Administrator>
      title={t.title}
      one={t.one}
      name="administrators"
      operations={{
        list: diseaseCommand.listAdministrators,
        save: diseaseCommand.saveAdministrator,
        update: diseaseCommand.updateAdministrator,
        remove: diseaseCommand.deleteAdministrator,
      }}
      toRemoval={(id) => ({ params: { id } })}
      // Nobody signs themselves out for good by way of this list.
      isKept={({ id }) => id === session?.accountId && session.service === "disease-command"}
      removeAbout={t.removeAbout}
      nameOf={({ userName }) => userName}
      initial={{ adminType: "1", status: "1" }}
      toBody={({ password: typed, ...given }) => ({ ...given, ...(typed && { password: typed }) })}
      fields={[
        { kind: "text", name: "userName", label: t.userName, required: true, max: 255 },
        {
          kind: "choices",
          name: "adminType",
          label: t.adminType,
          required: true,
          options: toOptions(t.adminTypes),
          width: 140,
        },
        {
          kind: "choices",
          name: "status",
          label: t.status,
          required: true,
          options: toOptions(t.statuses),
          render: ({ status }) => <Status tone={status === "1" ? "success" : "default"}>{t.statuses[status]}</Status>,
        },
        { ...password, asked: "new", required: true, help: t.passwordHelp },
        { ...password, asked: "known", help: t.passwordKeep },
      ]}
      empty={{ title: t.empty, about: t.emptyAbout }}
    />
  );
}

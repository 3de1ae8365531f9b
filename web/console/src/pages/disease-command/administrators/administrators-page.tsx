import { diseaseCommand } from "#shared/api/disease-command.ts";
import { AdministratorsPage as Administrators } from "#console/blocks/administrators/administrators-page.tsx";
import { useAdministratorTexts as useTexts } from "#console/pages/disease-command/texts.ts";

export function AdministratorsPage() {
  const t = useTexts();
  return (
    <Administrators
      name="disease-command/administrators"
      operations={{
        list: diseaseCommand.listAdministrators,
        save: diseaseCommand.saveAdministrator,
        update: diseaseCommand.updateAdministrator,
        remove: diseaseCommand.deleteAdministrator,
      }}
      toRemoval={(id) => ({ params: { id } })}
      codes={{ adminType: { super: "0", plain: "1" }, status: { on: "1", off: "0" } }}
      emptyAbout={t.emptyAbout}
    />
  );
}

import { reporting } from "#shared/api/reporting.ts";
import { AdministratorsPage as Administrators } from "#console/blocks/administrators/administrators-page.tsx";
import { useTexts } from "#console/pages/reporting/texts.ts";

export function AdministratorsPage() {
  const t = useTexts();
  return (
    <Administrators
      name="reporting/administrators"
      operations={{
        list: reporting.listAdministrators,
        save: reporting.addAdministrator,
        update: reporting.updateAdministrator,
        remove: reporting.deleteAdministrators,
      }}
      toRemoval={(id) => ({ body: { ids: [id] } })}
      codes={{ adminType: { super: 1, plain: 2 }, status: { on: 1, off: 0 } }}
      isPersonal
      emptyAbout={t.noAdministratorsAbout}
    />
  );
}

import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { AdministratorsPage as Administrators } from "#console/blocks/administrators/administrators-page.tsx";
import { useTexts } from "#console/pages/tuition-payment/texts.ts";

export function AdministratorsPage() {
  const t = useTexts();
  return (
    <Administrators
      name="tuition-payment/administrators"
      operations={{
        list: tuitionPayment.listAdministrators,
        save: tuitionPayment.saveAdministrator,
        update: tuitionPayment.updateAdministrator,
        remove: tuitionPayment.deleteAdministrator,
      }}
      toRemoval={(id) => ({ params: { id } })}
      codes={{ adminType: { super: "0", plain: "1" }, status: { on: "1", off: "0" } }}
      emptyAbout={t.noAdministratorsAbout}
    />
  );
}

import { AccountBookOutlined } from "@ant-design/icons";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Section } from "#console/shell/section.ts";

export const tuitionPaymentSection: Section = {
  service: "tuition-payment",
  title: { zh: "学费缴纳", en: "Tuition payment" },
  icon: <AccountBookOutlined aria-hidden />,
  operations: tuitionPayment,
  loadFigures: async () => (await import("#console/pages/tuition-payment/home/figures.tsx")).TuitionFigures,
  loadFindables: async () => (await import("#console/pages/tuition-payment/find.ts")).tuitionFindable,
  loadSettingWords: async () => (await import("#console/pages/tuition-payment/setting-words.ts")).settingWords,
  accounts: {
    title: { zh: "学费缴纳管理员", en: "Tuition administrator" },
    page: "administrators",
    list: tuitionPayment.listAdministrators,
  },
};

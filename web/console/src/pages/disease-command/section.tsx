import { AlertOutlined } from "@ant-design/icons";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import type { Section } from "#console/shell/section.ts";

export const diseaseCommandSection: Section = {
  service: "disease-command",
  title: { zh: "疾病防控指挥", en: "Disease command" },
  icon: <AlertOutlined aria-hidden />,
  operations: diseaseCommand,
  loadFigures: async () => (await import("#console/pages/disease-command/home/figures.tsx")).DiseaseFigures,
  accounts: {
    title: { zh: "疾病防控管理员", en: "Disease command administrator" },
    page: "administrators",
    list: diseaseCommand.listAdministrators,
  },
};

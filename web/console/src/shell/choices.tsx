import { DesktopOutlined, MoonOutlined, SunOutlined, TranslationOutlined } from "@ant-design/icons";
import { Button, Dropdown, Tooltip } from "antd";
import { useInstitution } from "#shared/institution.ts";
import { useLanguage } from "#shared/language/language.ts";
import { useTexts } from "#console/shell/texts.ts";
import { type ThemeChoice, useThemeChoice } from "#console/theme/theme.ts";

const icons = {
  light: <SunOutlined aria-hidden />,
  dark: <MoonOutlined aria-hidden />,
  system: <DesktopOutlined aria-hidden />,
};

export function Choices() {
  const t = useTexts();
  const [language, setLanguage] = useLanguage();
  const [theme, setTheme] = useThemeChoice();
  const items = (["light", "dark", "system"] as const).map((key) => ({ key, icon: icons[key], label: t.themes[key] }));
  return (
    <>
      <Tooltip title={t.otherLanguageAbout}>
        <Button
          type="text"
          icon={<TranslationOutlined aria-hidden />}
          aria-label={t.otherLanguage}
          lang={language === "zh" ? "en" : "zh-CN"}
          onClick={() => setLanguage(language === "zh" ? "en" : "zh")}
        >
          <span className="q-roomy">{t.otherLanguage}</span>
        </Button>
      </Tooltip>
      <Dropdown
        trigger={["click"]}
        menu={{ items, selectedKeys: [theme], onClick: ({ key }) => setTheme(key as ThemeChoice) }}
      >
        <Button type="text" icon={icons[theme]} aria-label={t.theme} />
      </Dropdown>
    </>
  );
}

const angles = [-90, -18, 54, 126, 198].map((degrees) => (degrees * Math.PI) / 180);
const colours = ["#2563eb", "#0891b2", "#16a34a", "#d97706", "#db2777"] as const;

export function Mark({ size }: { readonly size: number }) {
  const { logo } = useInstitution();
  if (logo !== "") return <img src={logo} width={size} height={size} alt="" className="q-logo" />;
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      {angles.map((angle, index) => (
        <circle key={angle} cx={16 + 9 * Math.cos(angle)} cy={16 + 9 * Math.sin(angle)} r={5.2} fill={colours[index]} />
      ))}
    </svg>
  );
}

import { theme, type ThemeConfig } from "antd";
import { useIsPhone, useMedia } from "#shared/media.ts";
import { usePrinting } from "#console/printing.tsx";
import { makeReadable, mixColors, toAccents } from "#platform/contract/accent.ts";
import { useInstitution } from "#shared/institution.ts";
import { useRemembered } from "#shared/remembered.ts";

export type ThemeChoice = "light" | "dark" | "system";

export const useThemeChoice = (): readonly [ThemeChoice, (choice: ThemeChoice) => void] =>
  useRemembered<ThemeChoice>("theme", "system");

export function useDark(): boolean {
  const [choice] = useThemeChoice();
  const system = useMedia("(prefers-color-scheme: dark)");
  const isPrinting = usePrinting();
  return !isPrinting && (choice === "system" ? system : choice === "dark");
}

/** Ant Design's dark algorithm darkens the primary colour too much for text, so the tones are chosen here. */
function toTones(color: string, dark: boolean) {
  if (color === "")
    return dark
      ? { primary: "#3b82f6", link: "#8ab4ff", linkHover: "#a9c8ff", selected: "#1b2a44", pressed: "#2b62bf" }
      : { primary: "#1d4ed8", link: "#1d4ed8", linkHover: "#2f5fdc", selected: "", pressed: "#2f5fdc" };
  const { light, dark: pale } = toAccents(color);
  const primary = makeReadable(color, "#ffffff", 4.6);
  return dark
    ? {
        primary,
        link: pale,
        linkHover: mixColors(pale, "#ffffff", 0.25),
        selected: mixColors("#141414", pale, 0.18),
        pressed: primary,
      }
    : { primary: light, link: light, linkHover: primary, selected: "", pressed: primary };
}

export function useThemeConfig(): ThemeConfig {
  const dark = useDark();
  const calm = useMedia("(prefers-reduced-motion: reduce)");
  const isPhone = useIsPhone();
  const tones = toTones(useInstitution().color, dark);
  return {
    algorithm: dark ? theme.darkAlgorithm : theme.defaultAlgorithm,
    // The page has one version of Ant Design and one theme, so hashed class names would only lengthen selectors.
    hashed: false,
    token: {
      colorPrimary: tones.primary,
      colorLink: tones.link,
      // The algorithm's hover colours have too little contrast for text.
      ...(!dark && {
        colorPrimaryHover: tones.pressed,
        colorPrimaryTextHover: tones.pressed,
        colorErrorHover: "#d9303a",
      }),
      colorLinkHover: tones.linkHover,
      colorError: dark ? "#ff7875" : "#cf1322",
      ...(!dark && { colorErrorBg: "#fff1f0", colorErrorBorder: "#ffccc7" }),
      colorTextTertiary: dark ? "#9aa3b0" : "#5c6470",
      colorTextDescription: dark ? "#9aa3b0" : "#5c6470",
      colorTextPlaceholder: dark ? "#8b94a1" : "#6b7280",
      colorBgLayout: dark ? "#0b0d10" : "#f5f6f8",
      borderRadius: 6,
      ...(isPhone && { controlHeight: 44, controlHeightSM: 44 }),
      motion: !calm,
      fontFamily:
        'system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans SC", "Noto Sans CJK SC", sans-serif',
      fontFamilyCode: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
    },
    components: {
      Layout: { headerHeight: 48, headerPadding: "0 16px", siderBg: dark ? "#141414" : "#ffffff" },
      Menu: {
        itemHeight: isPhone ? 44 : 36,
        subMenuItemBg: "transparent",
        activeBarBorderWidth: 0,
        ...(dark && {
          itemSelectedColor: tones.link,
          subMenuItemSelectedColor: tones.link,
          itemSelectedBg: tones.selected,
        }),
      },
      // The algorithm brightens a hovered primary button to a contrast of 2.97 : 1 with its white text.
      ...(dark && {
        Button: {
          colorPrimaryHover: tones.pressed,
          defaultHoverColor: tones.link,
          defaultHoverBorderColor: tones.link,
        },
      }),
      ...(dark && { Tabs: { itemSelectedColor: tones.link, itemHoverColor: tones.link } }),
      Table: {
        cellPaddingBlockMD: 9,
        cellPaddingBlockSM: 6,
        ...(dark && { rowSelectedBg: "#16243d", rowSelectedHoverBg: "#1a2a47" }),
      },
      ...(isPhone && { DatePicker: { cellHeight: 32, textHeight: 44, timeCellHeight: 36 } }),
      Form: { itemMarginBottom: 16, verticalLabelPadding: "0 0 4px" },
    },
  };
}

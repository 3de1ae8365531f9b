import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  title: ["单位信息", "Institution"],
  about: [
    "显示在控制台、公众页面、大屏、收据、导出的工作簿和通知上。",
    "Shown on the console, the public pages, the big screen, receipts, exported workbooks and notices.",
  ],
  name: ["单位名称", "Name"],
  nameHelp: ["留空则显示 Quintet", "If empty, Quintet is shown"],
  nameEn: ["英文名称", "Name in English"],
  nameEnHelp: ["英文页面使用，留空则用单位名称", "Used on English pages; if empty, the name above is used"],
  color: ["主色", "Main colour"],
  colorHelp: [
    "形如 #7a1f1f。为保证文字清晰，会自动加深或调亮。留空则用默认蓝色。",
    "For example #7a1f1f. It is adjusted where text would be hard to read. If empty, the default blue is used.",
  ],
  notColor: ["应为 #rrggbb 格式的颜色", "Must be a colour such as #7a1f1f"],
  pickColor: ["选取颜色", "Pick a colour"],
  logo: ["标志", "Logo"],
  seal: ["印章", "Seal"],
  sealHelp: [
    "盖在缴费收据上，宜用背景透明的 png",
    "Printed on payment receipts; a png with a transparent background works best",
  ],
  save: ["保存", "Save"],
  saved: ["已保存", "Saved"],
  preview: ["预览", "Preview"],
  sample: ["按钮", "Button"],
  sampleLink: ["链接文字", "A link"],
  receipt: ["缴费收据", "Payment receipt"],
  payee: (name: string) => [`收款单位：${name}`, `Payee: ${name}`],
});

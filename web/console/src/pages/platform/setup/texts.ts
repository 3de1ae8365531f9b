import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  title: ["初始设置", "Setup"],
  about: [
    "新系统投入使用前需要决定的事项。不需要的可以搁置。",
    "Decisions to make before this installation is put into use. Postpone items that you do not need.",
  ],
  progress: (done: number, all: number) => [`已完成 ${done}/${all}`, `${done} of ${all} done`],
  states: {
    open: ["待完成", "To do"],
    done: ["已完成", "Done"],
    aside: ["已搁置", "Postponed"],
  },
  go: ["去设置", "Set up"],
  goTo: (title: string) => [`去设置：${title}`, `Set up: ${title}`],
  putAside: ["搁置", "Postpone"],
  putAsideOf: (title: string) => [`搁置：${title}`, `Postpone: ${title}`],
  takeUp: ["恢复", "Resume"],
  takeUpOf: (title: string) => [`恢复：${title}`, `Resume: ${title}`],
  changed: ["已保存", "Saved"],
});

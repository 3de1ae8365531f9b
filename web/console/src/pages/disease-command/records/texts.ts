import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  create: (one: string) => [`新建${one}`, `New ${one}`],
  edit: ["编辑", "Edit"],
  editOne: (one: string) => [`编辑${one}`, `Edit ${one}`],
  editNamed: (name: string) => [`编辑 ${name}`, `Edit ${name}`],
  openNamed: (name: string) => [`查看 ${name}`, `Open ${name}`],
  remove: ["删除", "Delete"],
  removeNamed: (name: string) => [`删除 ${name}`, `Delete ${name}`],
  removeOne: (one: string, name: string) => [`删除${one}“${name}”？`, `Delete the ${one} “${name}”?`],
  removeSeveral: (one: string, count: number) => [
    `删除所选的 ${count} 项${one}？`,
    `Delete the selected ${count} (${one})?`,
  ],
  removeSelected: ["批量删除", "Delete selected"],
  removed: ["已删除", "Deleted"],
  saved: ["已保存", "Saved"],
  actions: ["操作", "Actions"],
  id: ["记录编号", "No."],
  uploadImage: ["上传图片", "Upload image"],
  uploading: (percent: number) => [`正在上传 ${percent}%`, `Uploading ${percent}%`],
  removeImage: (name: string) => [`移除图片 ${name}`, `Remove image ${name}`],
  imageAbout: (mb: number) => [
    `png、jpg、gif 或 webp，每张不超过 ${mb} MB`,
    `png, jpg, gif or webp, up to ${mb} MB each`,
  ],
  tooLarge: (mb: number) => [
    `图片超过 ${mb} MB，请压缩后再上传`,
    `The image is larger than ${mb} MB. Compress it and try again`,
  ],
  write: ["编写", "Write"],
  preview: ["预览", "Preview"],
  content: ["正文", "Content"],
  format: {
    bold: ["加粗", "Bold"],
    heading: ["标题", "Heading"],
    list: ["列表", "List"],
    paragraph: ["段落", "Paragraph"],
  },
  formatting: ["排版", "Formatting"],
  nothingYet: ["还没有内容", "No content yet"],
});

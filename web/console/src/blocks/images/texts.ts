import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  uploadImage: ["上传图片", "Upload image"],
  uploading: (percent: number) => [`正在上传 ${percent}%`, `Uploading ${percent}%`],
  removeImage: (name: string) => [`移除图片 ${name}`, `Remove image ${name}`],
  imageAbout: (mb: number) => [
    `png、jpg、gif 或 webp，每张不超过 ${mb} MB`,
    `png, jpg, gif or webp, up to ${mb} MB each`,
  ],
  tooLarge: (mb: number) => [
    `图片超过 ${mb} MB，请压缩后再上传`,
    `The image is larger than ${mb} MB. Compress it and try again.`,
  ],
});

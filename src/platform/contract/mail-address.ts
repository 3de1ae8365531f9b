export const isMailAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s@,;:<>"'()[\]\\]{1,64}@[^\s@,;:<>"'()[\]\\]+$/.test(text);

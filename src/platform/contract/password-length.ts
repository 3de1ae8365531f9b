export const mostPasswordLength = 128;

export const leastPasswordLength = 8;

export const isPasswordLength = (password: string): boolean => {
  if (password.length > 2 * mostPasswordLength) return false;
  const { length } = [...password];
  return length >= leastPasswordLength && length <= mostPasswordLength;
};

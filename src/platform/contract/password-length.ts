export const mostPasswordLength = 128;

export const leastPasswordLength = 8;

/** Passwords have 8 to 128 characters; what is in them is their owner's affair, unless everybody has the same. */
export const isPasswordLength = (password: string): boolean => {
  if (password.length > 2 * mostPasswordLength) return false;
  const { length } = [...password];
  return length >= leastPasswordLength && length <= mostPasswordLength;
};

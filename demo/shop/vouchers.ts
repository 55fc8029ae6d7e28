class VoucherError extends Error {
  override name = 'VoucherError';
}

/** The vouchers have not been imported, so every customer meets the same failure. */
export function redeemVoucher(campaign: string, customer: string): never {
  throw new VoucherError(`no voucher of ${customer} was found in ${campaign}`);
}

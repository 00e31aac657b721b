/** The receipt fields that the seeding uses. */
export interface Receipt {
  status: string
  transactionHash: string
  blockHash: string
  blockNumber: string
  contractAddress: string | null
}

/** What the seeding reads of a receipt. */
export interface Receipt {
  status: string
  transactionHash: string
  blockHash: string
  blockNumber: string
  contractAddress: string | null
}

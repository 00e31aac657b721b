// Reads all blocks of a chain with go-ethereum's client, which checks signatures, roots and transaction types.
//
// Usage: scan <url>. It prints the number of blocks and transactions; the first failure ends it with exit code 1.
package main

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"time"

	"github.com/ethereum/go-ethereum/ethclient"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: scan <url>")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	blocks, transactions, err := scan(ctx, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d blocks, %d transactions\n", blocks, transactions)
}

func scan(ctx context.Context, url string) (blocks, transactions int, err error) {
	client, err := ethclient.DialContext(ctx, url)
	if err != nil {
		return 0, 0, err
	}
	defer client.Close()
	head, err := client.BlockNumber(ctx)
	if err != nil {
		return 0, 0, err
	}
	for number := uint64(0); number <= head; number++ {
		block, err := client.BlockByNumber(ctx, new(big.Int).SetUint64(number))
		if err != nil {
			return blocks, transactions, fmt.Errorf("block %d: %w", number, err)
		}
		blocks++
		transactions += len(block.Transactions())
	}
	return blocks, transactions, nil
}

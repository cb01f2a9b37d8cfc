// pgx: an ID is an int64. Prints as psycopg/app.py does; with an argument, keys that are id64.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/jackc/pgx/v4"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, "")
	check(err)
	if len(os.Args) > 1 {
		check(kinds(ctx, conn))
	} else {
		check(ids(ctx, conn))
	}
}

// In docs/clients/go.md:
type Photo struct {
	ID    int64 `json:"id,string"` // JSON has it as a string
	Title string
}

// End.
func ids(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text);
CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(), photo_id bigint REFERENCES photo)`)
	check(err)
	// In docs/clients/go.md:
	// One row, and its ID. A *int64 is NULL if it is nil.
	var id int64
	err = conn.QueryRow(ctx, "INSERT INTO photo (title) VALUES ($1) RETURNING id", "one").Scan(&id)
	if err != nil {
		return err
	}
	for _, photo := range []*int64{&id, nil} {
		if _, err = conn.Exec(ctx, "INSERT INTO comment (photo_id) VALUES ($1)", photo); err != nil {
			return err
		}
	}
	// End.

	// Several rows in one statement, and their IDs.
	batch := []Photo{}
	rows, err := conn.Query(ctx, "INSERT INTO photo (title) SELECT unnest($1::text[]) RETURNING id, title",
		[]string{"batch 1", "batch 2"})
	if err != nil {
		return err
	}
	for rows.Next() {
		var photo Photo
		if err = rows.Scan(&photo.ID, &photo.Title); err != nil {
			return err
		}
		batch = append(batch, photo)
	}
	if err = rows.Err(); err != nil {
		return err
	}

	// A block of IDs beforehand, because COPY returns none.
	var block []int64
	if err = conn.QueryRow(ctx, "SELECT next_id_array($1)", 2).Scan(&block); err != nil {
		return err
	}
	records := [][]interface{}{}
	for n, each := range block {
		records = append(records, []interface{}{each, fmt.Sprintf("block %d", n+1)})
	}
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"photo"}, []string{"id", "title"}, pgx.CopyFromRows(records))
	check(err)

	fmt.Printf("one\t%d\n", id)
	for _, photo := range batch {
		fmt.Printf("%s\t%d\n", photo.Title, photo.ID)
	}
	for n, each := range block {
		fmt.Printf("block %d\t%d\n", n+1, each)
	}
	var comments []*int64
	check(conn.QueryRow(ctx, "SELECT array_agg(photo_id ORDER BY photo_id) FROM comment").Scan(&comments))
	for _, photo := range comments {
		if photo == nil {
			fmt.Println("comment\t")
		} else {
			fmt.Printf("comment\t%d\n", *photo)
		}
	}
	var title string
	check(conn.QueryRow(ctx, "SELECT title FROM photo WHERE id = $1", id).Scan(&title))
	fmt.Printf("found\t%s\n", title)
	text, err := json.Marshal(Photo{ID: id})
	check(err)
	if string(text) != fmt.Sprintf(`{"id":"%d","Title":""}`, id) {
		fmt.Println(string(text))
	}
	for begin, seen := int64(0), 0; seen < 5; {
		rows, err = conn.Query(ctx, "SELECT id FROM photo WHERE id >= $1 AND id < id_settled() ORDER BY id", begin)
		check(err)
		for rows.Next() {
			var read int64
			check(rows.Scan(&read))
			fmt.Printf("read\t%d\n", read)
			begin, seen = read+1, seen+1
		}
	}
	return nil
}

func kinds(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "CREATE TABLE album (id id64 PRIMARY KEY DEFAULT next_id(), title text, pictures id64[])")
	check(err)
	// An id64 is a string; an array of them needs a cast, both ways.
	var id string
	err = conn.QueryRow(ctx, "INSERT INTO album (title) VALUES ($1) RETURNING id", "one").Scan(&id)
	if err != nil {
		return err
	}
	var pictures, stored []string
	err = conn.QueryRow(ctx, "SELECT next_id_array(2)::id64[]::text[]").Scan(&pictures)
	if err != nil {
		return err
	}
	err = conn.QueryRow(ctx, "UPDATE album SET pictures = $1::text[]::id64[] WHERE id = $2 RETURNING pictures::text[]",
		pictures, id).Scan(&stored)
	check(err)
	return json.NewEncoder(os.Stdout).Encode(map[string]interface{}{"album": id, "pictures": pictures, "stored": stored})
}

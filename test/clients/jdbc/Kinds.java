// Keys that are id64 and ulid: strings to Java. Prints a name, a tab and a value for each, and which statements the server prepared.
import java.sql.*;
import java.util.*;
import java.util.stream.*;

public class Kinds {
    public static void main(String[] arguments) throws SQLException {
        try (Connection connection = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
            makeTables(connection);
            // The URL has stringtype=unspecified: ? stands for an id64 as well as for a text.
            String id;
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO album (title) VALUES (?)", new String[] {"id"})) {
                insert.setString(1, "one");
                insert.executeUpdate();
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    keys.next();
                    id = keys.getString(1);
                }
            }

            Map<String, String> batch = new LinkedHashMap<>();
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO visit (album_id, title) VALUES (?, ?)", new String[] {"title", "id"})) {
                for (String title : List.of("batch 1", "batch 2")) {
                    insert.setString(1, id);
                    insert.setString(2, title);
                    insert.addBatch();
                }
                insert.executeBatch();
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    while (keys.next()) batch.put(keys.getString(1), keys.getString(2));
                }
            }

            String[] block = strings(connection, "SELECT next_id_array(?)::id64[]", 2);
            // In docs/clients/java.md:
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO album (title, id, pictures) VALUES (?, ?, ?)")) {
                insert.setString(1, "block");
                insert.setString(2, block[0]);
                insert.setArray(3, connection.createArrayOf("id64", block));
                insert.executeUpdate();
            }
            // End.
            System.out.println("one\t" + id);
            batch.forEach((title, made) -> System.out.println(title + "\t" + made));
            System.out.println("block\t" + block[0]);
            for (int time = 0; time < 3; time++)
                System.out.println("pictures\t" + String.join(",", strings(connection, "SELECT pictures FROM album WHERE id = ?", block[0])));
            System.out.println("cast\t" + strings(connection, "SELECT ARRAY[title] FROM album WHERE id = ?::id64", id)[0]);
            System.out.println("any\t" + strings(connection, "SELECT array_agg(title ORDER BY id) FROM album WHERE id = ANY (?)",
                    connection.createArrayOf("id64", new String[] {id, block[0]})).length);
            try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(
                    "SELECT count(*) FROM pg_prepared_statements WHERE statement ~ 'album|visit' AND statement !~ 'pg_prepared'")) {
                row.next();
                System.out.println("prepared\t" + row.getInt(1));
            }
        }
    }

    private static void makeTables(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE album (id id64 PRIMARY KEY DEFAULT next_id(), title text, pictures id64[])");
            statement.execute("CREATE TABLE visit (id ulid PRIMARY KEY DEFAULT next_ulid(), album_id id64 REFERENCES album, title text)");
        }
    }

    static String[] strings(Connection connection, String sql, Object argument) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setObject(1, argument);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return Stream.of((Object[]) row.getArray(1).getArray()).map(String::valueOf).toArray(String[]::new);
            }
        }
    }
}

// JDBC: the DEFAULT makes the ID, the driver reads it back. Prints as psycopg/app.py does. The class Kinds has keys that
// are id64 and ulid.
import java.sql.*;
import java.util.*;
import java.util.stream.*;

public class App {
    public static void main(String[] arguments) throws SQLException {
        try (Connection connection = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text)");
                statement.execute("CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(),"
                        + " photo_id bigint REFERENCES photo)");
            }
            // In docs/clients/java.md:
            long id;
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO photo (title) VALUES (?)", new String[] {"id"})) {
                insert.setString(1, "one");
                insert.executeUpdate();
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    keys.next();
                    id = keys.getLong(1);
                }
            }

            Map<String, Long> batch = new LinkedHashMap<>();
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO photo (title) VALUES (?)", new String[] {"title", "id"})) {
                for (String title : List.of("batch 1", "batch 2")) {
                    insert.setString(1, title);
                    insert.addBatch();
                }
                insert.executeBatch();
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    while (keys.next()) batch.put(keys.getString(1), keys.getLong(2));
                }
            }

            Long[] block;
            try (PreparedStatement select = connection.prepareStatement("SELECT next_id_array(?)")) {
                select.setInt(1, 2);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    block = (Long[]) row.getArray(1).getArray();
                }
            }
            // End.
            System.out.println("one\t" + id);
            batch.forEach((title, made) -> System.out.println(title + "\t" + made));
            insertBlock(connection, block);
            insertComment(connection, id);
            insertComment(connection, null);
            find(connection, id);
            readAll(connection, 5);
        }
    }

    private static void insertBlock(Connection connection, Long[] block) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO photo VALUES (?, ?)")) {
            for (int number = 1; number <= block.length; number++) {
                insert.setLong(1, block[number - 1]);
                insert.setString(2, "block " + number);
                insert.executeUpdate();
                System.out.println("block " + number + "\t" + block[number - 1]);
            }
        }
    }

    private static void insertComment(Connection connection, Long photo) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO comment (photo_id) VALUES (?)", new String[] {"photo_id"})) {
            insert.setObject(1, photo, Types.BIGINT);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                keys.next();
                Long stored = keys.getObject(1, Long.class);
                System.out.println("comment\t" + (stored == null ? "" : stored));
            }
        }
    }

    private static void find(Connection connection, long id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT title FROM photo WHERE id = ?")) {
            select.setLong(1, id);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                System.out.println("found\t" + row.getString(1));
            }
        }
    }

    private static void readAll(Connection connection, int count) throws SQLException {
        long begin = 0;
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT id, title FROM photo WHERE id >= ? AND id < id_settled() ORDER BY id")) {
            for (int seen = 0; seen < count;) {
                select.setLong(1, begin);
                try (ResultSet rows = select.executeQuery()) {
                    for (; rows.next(); seen++) {
                        System.out.println("read\t" + rows.getLong("id"));
                        begin = rows.getLong("id") + 1;
                    }
                }
            }
        }
    }
}

// Keys that are id64 and ulid: strings to Java. Prints a name, a tab and a value for each, and which statements the server
// prepared.
class Kinds {
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

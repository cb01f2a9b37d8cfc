// JDBC: the DEFAULT makes the ID, the driver reads it back. Prints as psycopg/app.py does.
import java.sql.*;
import java.util.*;

public class App {
    public static void main(String[] arguments) throws SQLException {
        try (Connection connection = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text)");
                statement.execute("CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(),"
                        + " photo_id bigint REFERENCES photo)");
            }
            // In docs/clients.md:
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
            find(connection, id);
            long begin = 0;
            for (int seen = 0; seen < 5;) {
                List<Long> read = new ArrayList<>();
                begin = readOn(connection, begin, read);
                read.forEach(made -> System.out.println("read\t" + made));
                seen += read.size();
            }
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

    private static void insertComment(Connection connection, long photo) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO comment (photo_id) VALUES (?)", new String[] {"photo_id"})) {
            insert.setLong(1, photo);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                keys.next();
                System.out.println("comment\t" + keys.getLong(1));
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

    // In docs/clients.md:
    private static long readOn(Connection connection, long begin, List<Long> read) throws SQLException {
        long end = begin;
        try (PreparedStatement call = connection.prepareStatement("CALL id_settled()");
                ResultSet settled = call.executeQuery()) {
            settled.next();
            end = Math.max(begin, settled.getLong("upto")); // 0 where it is null
        }
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT id, title FROM photo WHERE id >= ? AND id < ? ORDER BY id")) {
            select.setLong(1, begin);
            select.setLong(2, end);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) read.add(rows.getLong("id"));
            }
        }
        return end;
    }
    // End.
}
